import { useParams } from "react-router";
import { RunView } from "~/modules/run/run-view";

export function RunPage() {
  const { id = "" } = useParams();
  return <RunView key={id} id={id} />;
}
