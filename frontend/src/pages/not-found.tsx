import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Empty } from "~/components/blank";
import { Page } from "~/components/page";
import { TeamPicture } from "~/components/pictures";

export function NotFound() {
  const { t } = useTranslation();
  return (
    <Page title={t("notFound.title")}>
      <Empty
        picture={<TeamPicture />}
        text={t("notFound.text")}
        action={
          <Button component={Link} to="/">
            {t("notFound.home")}
          </Button>
        }
      />
    </Page>
  );
}
