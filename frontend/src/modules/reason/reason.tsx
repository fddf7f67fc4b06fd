import type { ReactNode } from "react";
import { Notice } from "~/components/notice";
import type { Tone } from "~/components/tone";
import { graphql } from "~/gql";
import { readFragment, type FragmentType } from "~/gql";

export const reasonFragment = graphql(`
  fragment ReasonText on Reason {
    code
    text
    advice
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
  const { text, advice } = readFragment(reasonFragment, reason);
  return (
    <Notice
      tone={advice !== "" && (tone === "waiting" || tone === "working") ? "attention" : tone}
      title={text}
      action={action}
    >
      {advice}
    </Notice>
  );
}

/** The sentence alone, for a line of a list. */
export function ReasonLine({ reason }: { reason: ReasonRef }) {
  const { text } = readFragment(reasonFragment, reason);
  return <span title={text}>{text}</span>;
}
