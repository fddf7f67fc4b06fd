import { useParams } from "react-router";
import { FlowView } from "~/modules/flow/flow-view";

export function FlowPage() {
  const { id = "" } = useParams();
  return <FlowView key={id} id={id} />;
}
