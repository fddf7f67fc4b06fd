import type { ReactNode } from "react";
import { Notice } from "~/components/notice";
import type { Tone } from "~/components/tone";
import { graphql, readFragment, type FragmentType } from "~/gql";
import { needsSomebody } from "~/modules/reason/calm";
import classes from "./reason.module.css";

export const reasonFragment = graphql(`
  fragment ReasonText on Reason {
    code
    text
    advice
    args
  }
`);

export type ReasonRef = FragmentType<typeof reasonFragment>;

/**
 * Why it is not running, or why it ended, and what to do about it. A wait that
 * somebody can end is amber; one that ends by itself stays as quiet as its state.
 */
export function ReasonNotice({
  reason,
  tone,
  action,
}: {
  reason: ReasonRef;
  tone: Tone;
  action?: ReactNode;
}) {
  const { code, text, advice, args } = readFragment(reasonFragment, reason);
  // A sentence may end in a program's last words: they are shown as what they are.
  const words = typeof args.log === "string" && args.log !== "" && text.endsWith(args.log) ? args.log : "";
  const sentence = words === "" ? text : text.slice(0, -words.length).trimEnd();
  const waits = tone === "waiting" || tone === "working";
  return (
    <Notice tone={waits && needsSomebody(code) ? "attention" : tone} title={sentence} action={action}>
      {words === "" ? (
        advice
      ) : (
        <>
          <pre className={classes.words}>{words}</pre>
          {advice}
        </>
      )}
    </Notice>
  );
}

/** The sentence alone, for a line of a list. */
export function ReasonLine({ reason }: { reason: ReasonRef }) {
  const { text } = readFragment(reasonFragment, reason);
  return <span title={text}>{text}</span>;
}
