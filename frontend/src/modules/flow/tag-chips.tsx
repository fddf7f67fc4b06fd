import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { FilterChips } from "~/components/filter-chips";

/** The tag that a link filters by, as a chip that takes it away. */
export function TagChips() {
  const { t } = useTranslation();
  const [search] = useSearchParams();
  const tag = search.get("tag");
  if (!tag) return null;
  return (
    <FilterChips param="tag" label={t("flow.tags")} single filters={[{ value: tag, label: `#${tag}` }]} />
  );
}
