import { useParams } from "react-router";
import { FlowEdit } from "~/modules/flow/edit/flow-edit";

export function FlowEditPage() {
  const { id = "" } = useParams();
  return <FlowEdit key={id} id={id} />;
}
