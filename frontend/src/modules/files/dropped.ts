/** A file that was dropped or chosen, with the folders that it lay in. */
export interface Dropped {
  file: File;
  /** Names of the folders, without the file's own. */
  folders: string[];
}

/** The folders that the files need, each after the one it lies in. */
export function foldersOf(all: readonly Dropped[]): string[][] {
  const seen = new Map<string, string[]>();
  for (const { folders } of all) {
    for (let depth = 1; depth <= folders.length; depth++) {
      const path = folders.slice(0, depth);
      seen.set(path.join("\0"), path);
    }
  }
  return [...seen.values()].toSorted((a, b) => a.length - b.length);
}

/** Files of a chooser; one of folders says where in them each lay. */
export function chosenFiles(list: FileList | null): Dropped[] {
  return [...(list ?? [])].map((file) => ({
    file,
    folders: file.webkitRelativePath
      .split("/")
      .slice(0, -1)
      .filter((name) => name !== ""),
  }));
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((done, fail) => {
    entry.file(done, fail);
  });
}

/** A reader gives a hundred entries at a time, and none at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each call goes on where the one before ended
    const some = await new Promise<FileSystemEntry[]>((done, fail) => {
      reader.readEntries(done, fail);
    });
    if (some.length === 0) return all;
    all.push(...some);
  }
}

async function walk(entry: FileSystemEntry, folders: string[], out: Dropped[]): Promise<void> {
  if (entry.isFile) {
    out.push({ file: await fileOf(entry as FileSystemFileEntry), folders });
    return;
  }
  if (!entry.isDirectory) return;
  for (const each of await entriesOf(entry as FileSystemDirectoryEntry)) {
    // oxlint-disable-next-line no-await-in-loop -- one folder after the other
    await walk(each, [...folders, entry.name], out);
  }
}

/** What was dropped, folders with all that is in them. */
export async function droppedFiles(data: DataTransfer): Promise<Dropped[]> {
  // The list is emptied when the event ends, so it is read before anything is waited for.
  const items = [...data.items].map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const out: Dropped[] = [];
  for (const { entry, file } of items) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    if (entry) await walk(entry, [], out);
    else if (file) out.push({ file, folders: [] });
  }
  return out;
}
