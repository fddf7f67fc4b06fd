import { Page } from "~/components/page";

export function TeamPage() {
  return <Page title="team">{null}</Page>;
}
