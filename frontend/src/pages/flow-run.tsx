import { useParams } from "react-router";
import { FlowRunView } from "~/modules/flowrun/flow-run-view";

export function FlowRunPage() {
  const { id = "" } = useParams();
  return <FlowRunView key={id} id={id} />;
}
