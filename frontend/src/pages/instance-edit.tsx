import { useParams } from "react-router";
import { InstanceEdit } from "~/modules/instance/instance-edit";

export function InstanceEditPage() {
  const { id = "" } = useParams();
  return <InstanceEdit key={id} id={id} />;
}
