import { useParams } from "react-router";
import { CompareView } from "~/modules/flowrun/compare-view";

export function FlowRunComparePage() {
  const { id = "", other = "" } = useParams();
  return <CompareView key={`${id} ${other}`} id={id} other={other} />;
}
