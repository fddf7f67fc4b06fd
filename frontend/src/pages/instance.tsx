import { useParams } from "react-router";
import { InstanceView } from "~/modules/instance/instance-view";

export function InstancePage() {
  const { id = "" } = useParams();
  // Another instance is another view: nothing of the first may linger.
  return <InstanceView key={id} id={id} />;
}
