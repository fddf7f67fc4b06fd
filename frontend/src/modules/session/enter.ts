import { currentLanguage } from "~/lib/language";

export interface Outcome {
  ok: boolean;
  /** What the server said; empty when it could not be reached. */
  message: string;
}

/** What lets somebody in: a one-time link, or an address and a password. */
export type Proof = { token: string } | { email: string; password: string };

export async function enter(proof: Proof): Promise<Outcome> {
  try {
    const response = await fetch("/sign-in", {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json", "Accept-Language": currentLanguage() },
      body: JSON.stringify(proof),
    });
    if (response.ok) return { ok: true, message: "" };
    return { ok: false, message: await readMessage(response) };
  } catch {
    return { ok: false, message: "" };
  }
}

async function readMessage(response: Response): Promise<string> {
  const body = await response.text();
  try {
    const parsed: unknown = JSON.parse(body);
    if (
      typeof parsed === "object" &&
      parsed !== null &&
      "message" in parsed &&
      typeof parsed.message === "string"
    ) {
      return parsed.message;
    }
  } catch {
    // Not JSON: the text itself, if it is a sentence and no document.
  }
  return body.startsWith("<") ? "" : body.trim().slice(0, 300);
}
