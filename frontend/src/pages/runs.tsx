import { Page } from "~/components/page";

export function RunsPage() {
  return <Page title="runs">{null}</Page>;
}
