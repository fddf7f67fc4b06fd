import { Page } from "~/components/page";

export function VolumesPage() {
  return <Page title="volumes">{null}</Page>;
}
