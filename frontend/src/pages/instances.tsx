import { Page } from "~/components/page";

export function InstancesPage() {
  return <Page title="instances">{null}</Page>;
}
