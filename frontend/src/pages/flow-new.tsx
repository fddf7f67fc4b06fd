import { FlowNew } from "~/modules/flow/edit/flow-new";

export function FlowNewPage() {
  return <FlowNew />;
}
