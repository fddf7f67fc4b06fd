import { useTranslation } from "react-i18next";
import { CopyButton } from "~/components/copy";
import { formatBytes, formatExact } from "~/lib/format";
import classes from "./frozen-code.module.css";

interface Frozen {
  files: number;
  bytes: number;
  sha256: string;
  frozenAt?: string | null;
}

/** When code was frozen, what of it, and its digest. */
export function FrozenCode({ frozen }: { frozen: Frozen }) {
  const { t, i18n } = useTranslation();
  return (
    <div className="soft">
      {t("code.frozen", {
        at: frozen.frozenAt ? formatExact(new Date(frozen.frozenAt), i18n.language) : "",
        count: frozen.files,
        size: formatBytes(frozen.bytes, i18n.language),
      })}
      <Digest digest={`sha256:${frozen.sha256}`} />
    </div>
  );
}

/** A digest by its start, to be copied whole. */
export function Digest({ digest }: { digest: string }) {
  const { t } = useTranslation();
  return (
    <div className={`mono soft ${classes.digest}`}>
      <span title={digest}>{digest.slice(0, "sha256:".length + 12)}…</span>
      <CopyButton text={digest} what={t("code.digest")} />
    </div>
  );
}
