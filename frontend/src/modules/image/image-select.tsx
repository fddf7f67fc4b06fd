import { Select, type ComboboxItem } from "@mantine/core";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { graphql, readFragment } from "~/gql";
import type { ImageChoiceFragment } from "~/gql/graphql";
import { faultText } from "~/lib/fault";
import { useLive } from "~/lib/live";
import { ReasonLine } from "~/modules/reason/reason";
import classes from "./image-select.module.css";

const choiceFragment = graphql(`
  fragment ImageChoice on Image {
    id
    name
    reference
    framework
    version
    gpu
    development
    recommended
    deprecated
    reason {
      ...ReasonText
    }
  }
`);

const choicesQuery = graphql(`
  query ImageChoices($filter: ImageFilter) {
    images(first: 100, filter: $filter) {
      nodes {
        ...ImageChoice
      }
    }
  }
`);

/** Images of a team that may be chosen; those that can be instances, if asked for. */
export function useImageChoices(teamId: string, development?: true) {
  const { data, fault } = useLive({
    query: choicesQuery,
    variables: { filter: { teamId, ...(development ? { development } : {}) } },
  });
  return { images: data ? readFragment(choiceFragment, data.images.nodes) : undefined, fault };
}

interface ImageSelectProps {
  teamId: string;
  development?: true;
  value: string;
  onChange: (id: string) => void;
  error?: React.ReactNode;
}

/** Recommended first; the first one is chosen unless something else is. */
export function ImageSelect({ teamId, development, value, onChange, error }: ImageSelectProps) {
  const { t } = useTranslation();
  const { images, fault } = useImageChoices(teamId, development);
  const usable = images?.filter((image) => !image.deprecated || image.id === value);

  useEffect(() => {
    if (!usable || usable.some((image) => image.id === value)) return;
    const first = usable[0];
    if (first) onChange(first.id);
  }, [usable, value, onChange]);

  const byId = new Map(usable?.map((image) => [image.id, image]));
  return (
    <Select
      label={t("facts.image")}
      placeholder={images ? t("image.choose") : t("state.loading")}
      data={usable?.map((image) => ({ value: image.id, label: image.name })) ?? []}
      value={value === "" || !byId.has(value) ? null : value}
      onChange={(id) => id && onChange(id)}
      allowDeselect={false}
      searchable
      nothingFoundMessage={t("image.noneMatch")}
      error={error ?? (fault ? faultText(fault, t) : undefined)}
      description={<Description image={byId.get(value)} />}
      inputWrapperOrder={["label", "input", "description", "error"]}
      renderOption={({ option }) => <ImageOption option={option} image={byId.get(option.value)} />}
      data-path="imageId"
    />
  );
}

function Description({ image }: { image: ImageChoiceFragment | undefined }) {
  if (!image) return null;
  return (
    <>
      {image.reference}
      {image.reason ? (
        <>
          {" · "}
          <ReasonLine reason={image.reason} />
        </>
      ) : null}
    </>
  );
}

function ImageOption({ option, image }: { option: ComboboxItem; image: ImageChoiceFragment | undefined }) {
  const { t } = useTranslation();
  return (
    <div className={classes.option}>
      <div className={classes.line}>
        <span>{option.label}</span>
        {image?.recommended ? <span className={classes.note}>{t("image.recommended")}</span> : null}
      </div>
      {image ? (
        <span className={classes.under}>
          {[image.framework, image.version, image.gpu ? "GPU" : "CPU"].filter(Boolean).join(" · ")}
        </span>
      ) : null}
    </div>
  );
}
