import { useTranslation } from "react-i18next";
import { Notice } from "~/components/notice";
import { graphql, readFragment, type FragmentType } from "~/gql";
import classes from "./carry-notes.module.css";

export const carryNoteFragment = graphql(`
  fragment CarryNote on CarryNote {
    code
    what
    text
  }
`);

/** What could not be taken over as it was; nothing where all could. */
export function CarryNotes({ notes }: { notes: readonly FragmentType<typeof carryNoteFragment>[] }) {
  const { t } = useTranslation();
  const all = readFragment(carryNoteFragment, notes);
  if (all.length === 0) return null;
  return (
    <div className={classes.notes}>
      <Notice tone="attention" title={t("carry.title")}>
        <ul className={classes.list}>
          {all.map((note) => (
            <li key={`${note.code} ${note.what}`}>{note.text}</li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}
