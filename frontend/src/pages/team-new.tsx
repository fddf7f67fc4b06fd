import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { Columns } from "~/components/columns";
import { Page } from "~/components/page";
import { Panel } from "~/components/panel";
import { graphql, readFragment } from "~/gql";
import { useAction } from "~/lib/live";
import { QuotaPreview } from "~/modules/team/quota-preview";
import { emptyQuota, toQuotaInput } from "~/modules/team/quota-values";
import { TeamForm } from "~/modules/team/team-form";
import { teamLifeFragment } from "~/modules/team/team-life";
import { useTeamForm } from "~/modules/team/use-team-form";

const createMutation = graphql(`
  mutation CreateTeam($input: CreateTeamInput!) {
    createTeam(input: $input) {
      team {
        ...TeamLife
      }
    }
  }
`);

export function TeamNewPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [create, creating] = useAction(createMutation);
  const { form, error, refuse } = useTeamForm(emptyQuota);
  const submit = async (): Promise<void> => {
    const input = toQuotaInput(form.values);
    if (!input) return;
    refuse(null);
    const { data, fault } = await create({ input: { ...input, name: form.values.name.trim() } });
    if (fault) {
      refuse(fault);
      return;
    }
    void navigate(`/teams/${readFragment(teamLifeFragment, data.createTeam.team).id}`);
  };
  return (
    <Page title={t("team.create")} parent={{ to: "/teams", label: t("team.list") }}>
      <Columns
        main={
          <TeamForm
            form={form}
            onSubmit={() => void submit()}
            busy={creating}
            error={error}
            submit={t("team.create")}
            cancel={
              <Button variant="default" component={Link} to="/teams">
                {t("action.cancel")}
              </Button>
            }
          />
        }
        side={
          <Panel title={t("quota.preview.title")}>
            <QuotaPreview teamId={null} values={form.values} />
          </Panel>
        }
      />
    </Page>
  );
}
