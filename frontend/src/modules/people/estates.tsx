import { Radio, Select, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { graphql, readFragment, type FragmentType } from "~/gql";
import type { EstateFragment, InstanceFate, RunFate } from "~/gql/graphql";
import { formatBytes } from "~/lib/format";
import classes from "./estates.module.css";

export const estateFragment = graphql(`
  fragment Estate on Estate {
    teamId
    teamName
    role
    tasks
    flows
    instances {
      id
      name
      running
    }
    runs {
      id
      name
    }
    volumes {
      id
      name
      kind
      sizeBytes
      inTrash
    }
    invitations {
      id
      email
    }
    heirs {
      id
      displayName
    }
    heir {
      id
      displayName
    }
  }
`);

export interface HandOver {
  /** By team: the id of who gets what is there; nothing for an owner of the team. */
  heirs: Record<string, string>;
  instances: InstanceFate;
  runs: RunFate;
}

export const keepAll: HandOver = { heirs: {}, instances: "KEEP", runs: "KEEP" };

/** Whether there is anything that somebody else has to get. */
export function isEmpty(estate: EstateFragment): boolean {
  return (
    estate.instances.length === 0 &&
    estate.runs.length === 0 &&
    estate.volumes.length === 0 &&
    estate.tasks === 0 &&
    estate.flows === 0
  );
}

/** Teams for which somebody must be named: they have no other owner. */
export function unanswered(estates: readonly EstateFragment[], value: HandOver): EstateFragment[] {
  return estates.filter(
    (estate) => !isEmpty(estate) && !estate.heir && (value.heirs[estate.teamId] ?? "") === "",
  );
}

interface EstatesProps {
  estates: readonly FragmentType<typeof estateFragment>[];
  value: HandOver;
  onChange: (value: HandOver) => void;
  /** One team only: its name says nothing new. */
  single?: boolean;
}

/** What a person owns by team, who gets it, and what becomes of what runs. */
export function Estates({ estates: refs, value, onChange, single = false }: EstatesProps) {
  const { t } = useTranslation();
  const estates = readFragment(estateFragment, refs);
  const anyInstances = estates.some((estate) => estate.instances.length > 0);
  const anyRuns = estates.some((estate) => estate.runs.length > 0);
  const instanceFates: readonly InstanceFate[] = ["KEEP", "STOP", "DELETE"];
  const runFates: readonly RunFate[] = ["KEEP", "STOP"];
  return (
    <Stack gap="lg">
      {estates.map((estate) => (
        <section key={estate.teamId} aria-label={estate.teamName}>
          {single ? null : (
            <h3 className={classes.team}>
              {estate.teamName}
              <span className="soft">
                {estate.role ? t(`team.role.${estate.role}`) : t("departure.noMember")}
              </span>
            </h3>
          )}
          <Things estate={estate} />
          {isEmpty(estate) ? null : (
            <Heir
              estate={estate}
              value={value.heirs[estate.teamId] ?? ""}
              onChange={(id) => onChange({ ...value, heirs: { ...value.heirs, [estate.teamId]: id } })}
            />
          )}
        </section>
      ))}
      {anyInstances ? (
        <Radio.Group
          label={t("departure.instances")}
          value={value.instances}
          onChange={(fate) => onChange({ ...value, instances: fate as InstanceFate })}
        >
          <Stack gap={8} mt={6}>
            {instanceFates.map((fate) => (
              <Radio
                key={fate}
                value={fate}
                label={t(`departure.instanceFate.${fate}`)}
                description={t(`departure.instanceHint.${fate}`)}
              />
            ))}
          </Stack>
        </Radio.Group>
      ) : null}
      {anyRuns ? (
        <Radio.Group
          label={t("departure.runs")}
          value={value.runs}
          onChange={(fate) => onChange({ ...value, runs: fate as RunFate })}
        >
          <Stack gap={8} mt={6}>
            {runFates.map((fate) => (
              <Radio key={fate} value={fate} label={t(`departure.runFate.${fate}`)} />
            ))}
          </Stack>
        </Radio.Group>
      ) : null}
    </Stack>
  );
}

function Things({ estate }: { estate: EstateFragment }) {
  const { t, i18n } = useTranslation();
  if (isEmpty(estate) && estate.invitations.length === 0)
    return <p className="soft">{t("departure.nothing")}</p>;
  return (
    <dl className={classes.things}>
      {estate.volumes.length === 0 ? null : (
        <div>
          <dt>{t("frame.volumes")}</dt>
          <dd>
            {estate.volumes.map((volume) => (
              <div key={volume.id}>
                {volume.name}
                <span className="soft">
                  {" "}
                  {t(`volume.kind.${volume.kind}`)} · {formatBytes(volume.sizeBytes, i18n.language)}
                  {volume.inTrash ? ` · ${t("departure.inTrash")}` : null}
                </span>
              </div>
            ))}
          </dd>
        </div>
      )}
      {estate.instances.length === 0 ? null : (
        <div>
          <dt>{t("frame.instances")}</dt>
          <dd>
            {estate.instances.map((instance) => (
              <div key={instance.id}>
                {instance.name}
                <span className="soft">
                  {" "}
                  {instance.running ? t("departure.running") : t("departure.stopped")}
                </span>
              </div>
            ))}
          </dd>
        </div>
      )}
      {estate.runs.length === 0 ? null : (
        <div>
          <dt>{t("departure.runsOn")}</dt>
          <dd>
            {estate.runs.map((run) => (
              <div key={run.id}>{run.name}</div>
            ))}
          </dd>
        </div>
      )}
      {estate.flows === 0 ? null : (
        <div>
          <dt>{t("departure.flows")}</dt>
          <dd>{estate.flows}</dd>
        </div>
      )}
      {estate.tasks === 0 ? null : (
        <div>
          <dt>{t("departure.tasks")}</dt>
          <dd>{estate.tasks}</dd>
        </div>
      )}
      {estate.invitations.length === 0 ? null : (
        <div>
          <dt>{t("departure.invitations")}</dt>
          <dd>
            {estate.invitations.map((invitation) => (
              <div key={invitation.id}>{invitation.email}</div>
            ))}
          </dd>
        </div>
      )}
    </dl>
  );
}

interface HeirProps {
  estate: EstateFragment;
  value: string;
  onChange: (id: string) => void;
}

function Heir({ estate, value, onChange }: HeirProps) {
  const { t } = useTranslation();
  const nobody = estate.heirs.length === 0;
  return (
    <Select
      mt="sm"
      label={t("departure.heir")}
      placeholder={estate.heir ? undefined : t("departure.choose")}
      error={nobody ? t("departure.nobody", { team: estate.teamName }) : undefined}
      disabled={nobody}
      allowDeselect={false}
      data={estate.heirs.map((heir) => ({
        value: heir.id,
        label:
          heir.id === estate.heir?.id ? t("departure.owner", { name: heir.displayName }) : heir.displayName,
      }))}
      value={value === "" ? (estate.heir?.id ?? null) : value}
      onChange={(id) => onChange(id ?? "")}
    />
  );
}
