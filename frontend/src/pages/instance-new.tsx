import { Page } from "~/components/page";

export function InstanceNewPage() {
  return <Page title="instance-new">{null}</Page>;
}
