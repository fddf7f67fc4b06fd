import { Page } from "~/components/page";

export function ImagesPage() {
  return <Page title="images">{null}</Page>;
}
