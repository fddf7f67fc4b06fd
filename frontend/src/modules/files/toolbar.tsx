import { Button, Menu, TextInput } from "@mantine/core";
import { IconChevronRight, IconSearch, IconUpload } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { Files } from "~/modules/files/api";
import { chosenFiles, type Dropped } from "~/modules/files/dropped";
import { crumbsOf, writePlace, type Place } from "~/modules/files/ref";
import classes from "./files.module.css";

interface ToolbarProps {
  name: string;
  files: Files;
  place: Place;
  go: (to: Partial<Place>, replace?: boolean) => void;
  writable: boolean;
  onMake: (kind: "folder" | "text") => void;
  take: (all: Dropped[]) => Promise<void>;
}

/** Where one is, what to look for, and what can be made here. */
export function Toolbar({ name, files, place, go, writable, onMake, take }: ToolbarProps) {
  const { t } = useTranslation();
  const { at, find, view } = place;
  const [typed, setTyped] = useState(find);
  const file = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const crumbs = [{ ref: "", name }, ...crumbsOf(at)];
  const chosen = (input: HTMLInputElement): void => {
    const all = chosenFiles(input.files);
    input.value = "";
    void take(all);
  };
  return (
    <div className={classes.bar}>
      <nav className={classes.crumbs} aria-label={t("files.path")}>
        {crumbs.map((crumb, i) => (
          <span key={crumb.ref} style={{ display: "contents" }}>
            {i > 0 ? <IconChevronRight size={14} aria-hidden /> : null}
            <Link
              className={classes.crumb}
              to={{ search: writePlace({ at: crumb.ref, view }) }}
              aria-current={i === crumbs.length - 1 ? "location" : undefined}
            >
              {crumb.name}
            </Link>
          </span>
        ))}
      </nav>
      <form
        className={classes.find}
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          go({ at, find: typed.trim() });
        }}
      >
        <TextInput
          type="search"
          aria-label={t("files.search")}
          placeholder={t("files.search")}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            if (event.currentTarget.value === "" && find !== "") go({ at }, true);
          }}
        />
      </form>
      <Button
        variant="default"
        aria-pressed={view === "usage"}
        onClick={() => go({ at, view: view === "usage" ? "list" : "usage" })}
      >
        {t(view === "usage" ? "files.showList" : "files.usage")}
      </Button>
      <Button variant="default" component="a" href={files.url("archive", at, "&format=zip")} download>
        {t("files.action.zip")}
      </Button>
      {writable ? (
        <>
          <Menu position="bottom-end" width={200}>
            <Menu.Target>
              <Button variant="default">{t("files.new")}</Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => onMake("folder")}>{t("files.make.folder")}</Menu.Item>
              <Menu.Item onClick={() => onMake("text")}>{t("files.make.text")}</Menu.Item>
              <Menu.Item onClick={() => folder.current?.click()}>{t("files.uploadFolder")}</Menu.Item>
            </Menu.Dropdown>
          </Menu>
          <Button leftSection={<IconUpload size={16} aria-hidden />} onClick={() => file.current?.click()}>
            {t("files.upload")}
          </Button>
          <input
            ref={file}
            type="file"
            multiple
            hidden
            aria-label={t("files.upload")}
            onChange={(event) => chosen(event.currentTarget)}
          />
          <input
            ref={(input) => {
              folder.current = input;
              input?.setAttribute("webkitdirectory", "");
            }}
            type="file"
            multiple
            hidden
            aria-label={t("files.uploadFolder")}
            onChange={(event) => chosen(event.currentTarget)}
          />
        </>
      ) : null}
    </div>
  );
}
