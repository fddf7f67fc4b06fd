import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { graphql, readFragment, type FragmentType } from "~/gql";
import classes from "./mount-list.module.css";

export const mountFragment = graphql(`
  fragment MountItem on Mount {
    volumeId
    path
    readOnly
    subPath
    volume {
      id
      name
      kind
    }
    share {
      id
      volumeName
      ownerName
    }
  }
`);

/** Volumes and where they appear. */
export function MountList({ mounts }: { mounts: readonly FragmentType<typeof mountFragment>[] }) {
  const { t } = useTranslation();
  const all = readFragment(mountFragment, mounts);
  if (all.length === 0) return <span className="soft">{t("mount.none")}</span>;
  return (
    <ul className={classes.list}>
      {all.map((mount) => (
        <li key={mount.path}>
          <div className="mono">{mount.path}</div>
          <div className="soft">
            {mount.volume ? (
              <Link to={`/volumes/${mount.volume.id}`}>{mount.volume.name}</Link>
            ) : mount.share ? (
              `${mount.share.volumeName} (${t("share.by", { name: mount.share.ownerName })})`
            ) : (
              mount.volumeId
            )}
            {mount.subPath ? `/${mount.subPath}` : ""} ·{" "}
            {mount.readOnly ? t("mount.readOnly") : t("mount.readWrite")}
          </div>
        </li>
      ))}
    </ul>
  );
}
