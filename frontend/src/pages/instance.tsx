import { Page } from "~/components/page";

export function InstancePage() {
  return <Page title="instance">{null}</Page>;
}
