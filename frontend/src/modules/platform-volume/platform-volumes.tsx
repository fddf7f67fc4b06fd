import { Button, Menu, ActionIcon } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty, Failed, SkeletonRows } from "~/components/blank";
import { VolumePicture } from "~/components/pictures";
import { StateMark } from "~/components/state-mark";
import type { Tone } from "~/components/tone";
import { graphql, readFragment } from "~/gql";
import type { PlatformVolumePhase, PlatformVolumeRowFragment } from "~/gql/graphql";
import { formatBytes } from "~/lib/format";
import { notifyFault } from "~/lib/notify";
import { useAction, useLive } from "~/lib/live";
import { usePoll } from "~/lib/poll";
import { ReasonLine } from "~/modules/reason/reason";
import { DeletePlatformVolume, PlatformVolumeForm } from "~/modules/platform-volume/platform-volume-dialogs";
import { platformVolumeFragment } from "~/modules/platform-volume/fragment";
import { useSession } from "~/modules/session/session";
import classes from "../volume/volume-list.module.css";

const query = graphql(`
  query PlatformVolumes {
    platformVolumes {
      ...PlatformVolumeRow
    }
  }
`);

const enableMutation = graphql(`
  mutation EnablePlatformVolume($input: UpdatePlatformVolumeInput!) {
    updatePlatformVolume(input: $input) {
      platformVolume {
        ...PlatformVolumeRow
      }
    }
  }
`);

const tones: Record<PlatformVolumePhase, Tone> = {
  PENDING: "working",
  READY: "good",
  FAILED: "failed",
  DELETING: "working",
};

const pollMs = 8_000;

type Asking = { what: "make" } | { what: "edit" | "delete"; volume: PlatformVolumeRowFragment } | null;

/** What is mounted into every instance and run; administrators change it. */
export function PlatformVolumes() {
  const { t } = useTranslation();
  const { administrator } = useSession();
  const { data, fault, loading, reload } = useLive({ query, variables: {} });
  usePoll(reload, pollMs);
  const [asking, setAsking] = useState<Asking>(null);
  const [enable] = useAction(enableMutation);
  const rows = readFragment(platformVolumeFragment, data?.platformVolumes ?? []);
  const done = (): void => {
    setAsking(null);
    reload();
  };
  const turn = async (volume: PlatformVolumeRowFragment): Promise<void> => {
    const { fault: refused } = await enable({ input: { id: volume.id, enabled: !volume.enabled } });
    if (refused) notifyFault(refused, t);
    reload();
  };
  return (
    <>
      <p className="soft">{t("platformVolume.text")}</p>
      {administrator ? (
        <Button variant="default" my="sm" onClick={() => setAsking({ what: "make" })}>
          {t("platformVolume.create")}
        </Button>
      ) : null}
      {loading ? <SkeletonRows /> : null}
      {fault && !data ? <Failed fault={fault} retry={reload} /> : null}
      {data && rows.length === 0 ? (
        <Empty picture={<VolumePicture />} text={t("platformVolume.none")} />
      ) : null}
      {rows.length > 0 ? (
        <div className={classes.frame}>
          <ul className={classes.list} aria-label={t("platformVolume.title")}>
            {rows.map((row) => (
              <Line
                key={row.id}
                row={row}
                menu={
                  administrator && row.phase !== "DELETING" ? (
                    <Menu position="bottom-end" width={200}>
                      <Menu.Target>
                        <ActionIcon size={32} aria-label={t("volume.actions", { name: row.name })}>
                          <IconDots size={18} />
                        </ActionIcon>
                      </Menu.Target>
                      <Menu.Dropdown>
                        <Menu.Item onClick={() => setAsking({ what: "edit", volume: row })}>
                          {t("volume.ask.edit")}
                        </Menu.Item>
                        <Menu.Item onClick={() => void turn(row)}>
                          {t(row.enabled ? "platformVolume.disable" : "platformVolume.enable")}
                        </Menu.Item>
                        <Menu.Item onClick={() => setAsking({ what: "delete", volume: row })}>
                          {t("volume.ask.delete")}
                        </Menu.Item>
                      </Menu.Dropdown>
                    </Menu>
                  ) : null
                }
              />
            ))}
          </ul>
        </div>
      ) : null}
      {asking?.what === "make" ? (
        <PlatformVolumeForm volume={null} onClose={() => setAsking(null)} onDone={done} />
      ) : null}
      {asking?.what === "edit" ? (
        <PlatformVolumeForm volume={asking.volume} onClose={() => setAsking(null)} onDone={done} />
      ) : null}
      {asking?.what === "delete" ? (
        <DeletePlatformVolume volume={asking.volume} onClose={() => setAsking(null)} onDone={done} />
      ) : null}
    </>
  );
}

function Line({ row, menu }: { row: PlatformVolumeRowFragment; menu: React.ReactNode }) {
  const { t, i18n } = useTranslation();
  return (
    <li className={classes.row}>
      <div className={classes.cell}>
        <div className={classes.name}>{row.name}</div>
        <div className={classes.under}>{row.description}</div>
      </div>
      <div className={classes.cell}>
        <StateMark
          tone={row.enabled ? tones[row.phase] : "stopped"}
          label={t(row.enabled ? `platformVolume.phase.${row.phase}` : "platformVolume.disabled")}
        />
        <div className={classes.under}>
          {row.reason ? (
            <ReasonLine reason={row.reason} />
          ) : (
            t("platformVolume.ready", { ready: row.readyTeams, count: row.teams })
          )}
        </div>
      </div>
      <div className={classes.cell}>
        <div className="mono">{row.path}</div>
        <div className={classes.under}>{row.readOnly ? t("mount.readOnly") : t("mount.readWrite")}</div>
      </div>
      <div className={classes.cell}>
        {row.source ? (
          <>
            <div>{formatBytes(row.source.sizeBytes, i18n.language)}</div>
            <div className={`${classes.under} mono`}>
              {row.source.namespace}/{row.source.claim}
            </div>
          </>
        ) : null}
      </div>
      <div className={classes.age} />
      <div className={classes.actions}>{menu}</div>
    </li>
  );
}
