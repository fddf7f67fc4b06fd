import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { Empty, Failed, SkeletonRows } from "~/components/blank";
import { FilterChips } from "~/components/filter-chips";
import { Page } from "~/components/page";
import { ImagePicture } from "~/components/pictures";
import { graphql, readFragment } from "~/gql";
import { useLive } from "~/lib/live";
import { usePoll } from "~/lib/poll";
import { ImageCard, imageCardFragment } from "~/modules/image/image-card";
import { useSession } from "~/modules/session/session";
import classes from "./images.module.css";

const imagesQuery = graphql(`
  query Images($filter: ImageFilter) {
    images(first: 100, filter: $filter) {
      nodes {
        ...ImageCard
      }
    }
  }
`);

const kinds = ["development", "gpu", "cpu"] as const;

export function ImagesPage() {
  const { t } = useTranslation();
  const { team, mayMake } = useSession();
  const [search] = useSearchParams();
  const on = search.getAll("kind");
  const { data, fault, loading, reload } = useLive({
    query: imagesQuery,
    variables: { filter: { teamId: team.id } },
  });
  const all = data ? readFragment(imageCardFragment, data.images.nodes) : [];
  const waiting = all.some(({ reason }) => reason !== null);
  usePoll(() => {
    if (waiting) reload(); // those that are built here change by themselves
  }, 3_000);
  const shown = all.filter(
    (image) =>
      (!on.includes("development") || image.development) &&
      (on.includes("gpu") === on.includes("cpu") || image.gpu === on.includes("gpu")),
  );
  return (
    <Page title={t("frame.images")} subtitle={t("image.subtitle")}>
      <div className={classes.filters}>
        <FilterChips
          param="kind"
          label={t("image.kindLabel")}
          filters={kinds.map((kind) => ({ value: kind, label: t(`image.kind.${kind}`) }))}
        />
      </div>
      {loading ? <SkeletonRows rows={4} height={120} /> : null}
      {!data && fault ? <Failed fault={fault} retry={reload} /> : null}
      {data && shown.length === 0 ? (
        <Empty
          picture={<ImagePicture />}
          text={all.length === 0 ? t("image.none") : t("image.noneMatch")}
          action={
            all.length === 0 ? null : (
              <Button variant="default" component={Link} to="/images">
                {t("action.clearFilters")}
              </Button>
            )
          }
        />
      ) : null}
      {shown.length > 0 ? (
        <ul className={classes.grid}>
          {shown.map((image) => (
            <li key={image.id} className={classes.cell}>
              <ImageCard image={image} mayMake={mayMake} />
            </li>
          ))}
        </ul>
      ) : null}
    </Page>
  );
}
