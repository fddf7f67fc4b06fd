import { Page } from "~/components/page";

export function InstanceEditPage() {
  return <Page title="instance-edit">{null}</Page>;
}
