import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Notice } from "~/components/notice";
import { enter } from "~/modules/session/enter";

/** The way in by address and password; `next` is a path of this page. */
export function PasswordSignIn({ next, email: known = "" }: { next: string; email?: string }) {
  const { t } = useTranslation();
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    const result = await enter({ email: email.trim(), password });
    if (result.ok) {
      // A fresh document: nothing that was asked before the sign-in stays in the cache.
      location.replace(next);
      return;
    }
    setBusy(false);
    setProblem(result.message || t("signIn.unreachable"));
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <TextInput
          type="email"
          label={t("signIn.email")}
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label={t("signIn.password")}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ "aria-label": t("signIn.show") }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {problem ? <Notice tone="failed" title={problem} live /> : null}
        <Button type="submit" loading={busy} disabled={email.trim() === "" || password === ""}>
          {t("signIn.submit")}
        </Button>
      </Stack>
    </form>
  );
}
