import type { CreateSecretInput, SecretKind } from "~/gql/graphql";

export interface ValueRow {
  key: string;
  text: string;
  /** Of a file that was chosen; then it goes in place of the text. */
  base64: string;
  file: string;
}

export interface SecretValues extends Record<string, unknown> {
  kind: SecretKind;
  /** Empty: the viewer's own. */
  teamId: string;
  name: string;
  git: {
    host: string;
    user: string;
    auth: "token" | "ssh";
    token: string;
    sshKey: string;
    knownHosts: string;
  };
  registry: { server: string; user: string; password: string };
  keytab: { principal: string; keytab: string; file: string; realm: string; krb5Conf: string };
  values: ValueRow[];
  teamWide: boolean;
}

export const noValue: ValueRow = { key: "", text: "", base64: "", file: "" };

export const noSecret: SecretValues = {
  kind: "GENERIC",
  teamId: "",
  name: "",
  git: { host: "github.com", user: "", auth: "token", token: "", sshKey: "", knownHosts: "" },
  registry: { server: "", user: "", password: "" },
  keytab: { principal: "", keytab: "", file: "", realm: "", krb5Conf: "" },
  values: [noValue],
  teamWide: false,
};

/** Paths of the form's fields; `*` stands for a row. */
export const secretPaths = [
  "name",
  "git.host",
  "git.user",
  "git.token",
  "git.sshKey",
  "git.knownHosts",
  "registry.server",
  "registry.user",
  "registry.password",
  "keytab.principal",
  "keytab.keytab",
  "keytab.realm",
  "keytab.krb5Conf",
  "values.*.key",
  "values.*.text",
  "teamWide",
] as const;

type Content = Pick<CreateSecretInput, "git" | "registry" | "keytab" | "values">;

/** What the chosen kind holds, as the contract takes it. */
export function toContent(values: SecretValues): Content {
  const { git, registry, keytab } = values;
  switch (values.kind) {
    case "GIT":
      return {
        git: {
          host: git.host,
          user: git.user,
          token: git.auth === "token" ? git.token : "",
          sshKey: git.auth === "ssh" ? git.sshKey : "",
          knownHosts: git.auth === "ssh" ? git.knownHosts : "",
        },
      };
    case "REGISTRY":
      return { registry };
    case "KEYTAB":
      return {
        keytab: {
          principal: keytab.principal,
          keytab: keytab.keytab,
          realm: keytab.realm,
          krb5Conf: keytab.krb5Conf,
        },
      };
    default:
      return {
        values: values.values.map((row) =>
          row.base64 === ""
            ? { key: row.key.trim(), text: row.text }
            : { key: row.key.trim(), base64: row.base64 },
        ),
      };
  }
}

/** The bytes of a file in base64, as the contract takes them. */
export async function readBase64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
