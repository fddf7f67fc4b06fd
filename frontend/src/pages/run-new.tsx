import { Page } from "~/components/page";

export function RunNewPage() {
  return <Page title="run-new">{null}</Page>;
}
