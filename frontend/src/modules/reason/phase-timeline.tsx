import { useTranslation } from "react-i18next";
import { PhaseBar, type PhaseStep } from "~/components/phase-bar";
import type { Tone } from "~/components/tone";
import { graphql, readFragment, type FragmentType } from "~/gql";

export const phaseFragment = graphql(`
  fragment PhaseItem on Phase {
    name
    since
    seconds
  }
`);

// In the order in which they come: a pod's volumes are mounted before its images are pulled.
const names = ["queued", "scheduled", "mounting", "pulling", "starting", "ready"] as const;

interface PhaseTimelineProps {
  phases: readonly FragmentType<typeof phaseFragment>[];
  /** What became of the phase that is current. */
  outcome: "going" | "attention" | "failed";
  /** Nothing runs any more: the last phase does not count on. */
  ended: boolean;
  /** When it ended, if that is known. */
  endedAt?: string | null;
  /** The last phase of this kind of thing; a run has no `ready`. */
  last?: { name: string; label: string };
}

/** The phases of a start: those that were, the one that is, and those to come. */
export function PhaseTimeline({ phases, outcome, ended, endedAt, last }: PhaseTimelineProps) {
  const { t } = useTranslation();
  const reached = readFragment(phaseFragment, phases);
  const current = reached.at(-1)?.name;
  const tone = (name: string): Tone => {
    if (name !== current) return "good";
    if (outcome === "failed") return "failed";
    if (outcome === "attention") return "attention";
    // A ready instance is good; a run that runs is at work.
    if (ended || (name === "ready" && !last)) return "good";
    return name === "queued" ? "waiting" : "working";
  };
  // What was passed over, as a pull of an image that was there, is left out.
  const furthest = names.findIndex((name) => name === current);
  const shown = names.filter((name, i) => i > furthest || reached.some((phase) => phase.name === name));
  const steps = shown.map((name): PhaseStep => {
    const phase = reached.find((each) => each.name === name);
    const label = last?.name === name ? last.label : t(`phase.${name}`);
    if (!phase) return { name, label, since: null, seconds: null, open: false, tone: "waiting" };
    const rest = endedAt ? (new Date(endedAt).getTime() - new Date(phase.since).getTime()) / 1000 : null;
    const seconds = phase.seconds ?? (ended && rest !== null ? Math.max(0, rest) : null);
    return { name, label, since: phase.since, seconds, open: seconds === null && !ended, tone: tone(name) };
  });
  return <PhaseBar label={t("phase.start")} steps={steps} />;
}
