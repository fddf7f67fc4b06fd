import { Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Notice } from "~/components/notice";
import { graphql } from "~/gql";
import { faultText } from "~/lib/fault";
import { formatBytes } from "~/lib/format";
import { useAction, useLive } from "~/lib/live";
import { notifyDone } from "~/lib/notify";
import { AskDialog } from "~/modules/volume/ask-dialog";

const ownersQuery = graphql(`
  query ClaimOwners($teamId: ID!) {
    team(id: $teamId) {
      id
      members {
        role
        user {
          id
          displayName
        }
      }
    }
  }
`);

const adoptMutation = graphql(`
  mutation AdoptVolume($input: AdoptVolumeInput!) {
    adoptVolume(input: $input) {
      volume {
        ...VolumeRow
      }
    }
  }
`);

interface AdoptClaimProps {
  teamId: string;
  claim: { name: string; sizeBytes: number; pods: readonly string[] };
  onClose: () => void;
  onDone: () => void;
}

/** Makes a volume of a claim that is there already: what it is called, and whose it is from now on. */
export function AdoptClaim({ teamId, claim, onClose, onDone }: AdoptClaimProps) {
  const { t, i18n } = useTranslation();
  const { data, fault } = useLive({ query: ownersQuery, variables: { teamId } });
  const [name, setName] = useState(claim.name.slice(0, 63));
  const [description, setDescription] = useState("");
  const [ownerId, setOwner] = useState<string | null>(null);
  const [adopt] = useAction(adoptMutation);
  const members = data?.team?.members ?? [];
  return (
    <AskDialog
      title={t("volume.claims.adoptTitle", { name: claim.name })}
      submit={t("volume.claims.adoptSubmit")}
      disabled={name.trim() === "" || ownerId === null}
      onClose={onClose}
      ask={async () => {
        const result = await adopt({
          input: {
            teamId,
            claim: claim.name,
            ownerId: ownerId ?? "",
            name: name.trim(),
            description: description.trim(),
          },
        });
        if (result.fault) return result.fault;
        notifyDone(t("volume.claims.adopted", { name: name.trim() }));
        onDone();
        return undefined;
      }}
    >
      <p>{t("volume.claims.adoptText", { size: formatBytes(claim.sizeBytes, i18n.language) })}</p>
      {fault ? <Notice tone="failed" title={faultText(fault, t)} live /> : null}
      <TextInput
        label={t("volume.name")}
        value={name}
        maxLength={63}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <Select
        label={t("facts.owner")}
        placeholder={t("team.choosePerson")}
        data={members.map(({ user }) => ({ value: user.id, label: user.displayName }))}
        value={ownerId}
        onChange={setOwner}
        allowDeselect={false}
      />
      <TextInput
        label={t("volume.description")}
        value={description}
        maxLength={500}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </AskDialog>
  );
}
