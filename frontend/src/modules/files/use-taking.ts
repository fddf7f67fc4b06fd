import { useState, type DragEvent } from "react";
import { useTranslation } from "react-i18next";
import { notifyFault } from "~/lib/notify";
import { faultOf, type Files, type Opened } from "~/modules/files/api";
import { droppedFiles, foldersOf, type Dropped } from "~/modules/files/dropped";
import { childRef, deepRef } from "~/modules/files/ref";
import { addUpload } from "~/modules/files/uploads";

interface Taking {
  dropping: boolean;
  handlers: Partial<
    Record<"onDragEnter" | "onDragOver" | "onDragLeave" | "onDrop", (event: DragEvent) => void>
  >;
  take: (all: Dropped[]) => Promise<void>;
}

/** What is dropped or chosen goes into the folder: folders first, then files, one after the other. */
export function useTaking(
  files: Files,
  volumeId: string,
  at: string,
  opened: Opened,
  writable: boolean,
  reload: () => void,
): Taking {
  const { t } = useTranslation();
  const [depth, setDepth] = useState(0);
  const take = async (all: Dropped[]): Promise<void> => {
    try {
      for (const names of foldersOf(all)) {
        // oxlint-disable-next-line no-await-in-loop -- a folder needs the one that it lies in
        await files.ask(files.url("folder", deepRef(at, names), "&parents=1"), { method: "POST" });
      }
    } catch (error) {
      notifyFault(faultOf(error), t);
      return;
    }
    for (const { file, folders } of all) {
      addUpload(volumeId, childRef(deepRef(at, folders), file.name), file, opened.limits.chunkBytes);
    }
    reload();
  };
  if (!writable) return { dropping: false, handlers: {}, take };
  return {
    dropping: depth > 0,
    take,
    handlers: {
      onDragEnter: (event) => {
        event.preventDefault();
        setDepth((before) => before + 1);
      },
      onDragOver: (event) => event.preventDefault(),
      onDragLeave: () => setDepth((before) => Math.max(0, before - 1)),
      onDrop: (event) => {
        event.preventDefault();
        setDepth(0);
        droppedFiles(event.dataTransfer).then(take, (error: unknown) => notifyFault(faultOf(error), t));
      },
    },
  };
}
