import { Button } from "@mantine/core";
import { IconStarFilled } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { CopyButton } from "~/components/copy";
import { graphql } from "~/gql";
import type { ImageCardFragment } from "~/gql/graphql";
import { formatBytes } from "~/lib/format";
import { ReasonNotice } from "~/modules/reason/reason";
import classes from "./image-card.module.css";

export const imageCardFragment = graphql(`
  fragment ImageCard on Image {
    id
    name
    reference
    description
    framework
    version
    gpu
    development
    apps
    recommended
    deprecated
    sizeBytes
    reason {
      ...ReasonText
    }
    team {
      id
      name
    }
  }
`);

/** An image of the catalogue, and what one does with it. */
export function ImageCard({ image, mayMake }: { image: ImageCardFragment; mayMake: boolean }) {
  const { t, i18n } = useTranslation();
  const facts = [
    [image.framework, image.version].filter(Boolean).join(" "),
    image.gpu ? "GPU" : "CPU",
    image.sizeBytes ? formatBytes(image.sizeBytes, i18n.language) : "",
    image.team ? image.team.name : t("image.everyone"),
  ].filter(Boolean);
  return (
    <article className={classes.card} data-deprecated={image.deprecated || undefined}>
      <header className={classes.head}>
        <h2 className={classes.name}>{image.name}</h2>
        {image.recommended ? (
          <span className={classes.mark}>
            <IconStarFilled size={12} aria-hidden /> {t("image.recommended")}
          </span>
        ) : null}
        {image.deprecated ? <span className={classes.mark}>{t("image.deprecated")}</span> : null}
      </header>
      <p className={classes.facts}>{facts.join(" · ")}</p>
      {image.description ? <p className={classes.description}>{image.description}</p> : null}
      {image.reason ? <ReasonNotice reason={image.reason} tone="waiting" /> : null}
      <div className={classes.reference}>
        <code className={classes.ref} title={image.reference}>
          {image.reference}
        </code>
        <CopyButton text={image.reference} what={t("image.reference")} />
      </div>
      {mayMake && !image.deprecated ? (
        <div className={classes.actions}>
          {image.development ? (
            <Button size="xs" variant="default" component={Link} to={`/instances/new?image=${image.id}`}>
              {t("instance.create")}
            </Button>
          ) : null}
          <Button size="xs" variant="default" component={Link} to={`/runs/new?image=${image.id}`}>
            {t("run.create")}
          </Button>
        </div>
      ) : null}
    </article>
  );
}
