import { ActionIcon, Menu, Tooltip, useMantineColorScheme, type MantineColorScheme } from "@mantine/core";
import {
  IconCheck,
  IconDeviceDesktop,
  IconLanguage,
  IconMoon,
  IconSun,
  type Icon,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { askAgain } from "~/lib/connection";
import { chooseLanguage, currentLanguage, type Language } from "~/lib/language";
import { restartSocket } from "~/lib/socket";

const names: Record<Language, string> = { "zh-CN": "中文", en: "English" };
const order: readonly Language[] = ["zh-CN", "en"];

/** The language of the page, of the server's sentences, and of what the socket pushes. */
export async function switchLanguage(language: Language): Promise<void> {
  if (language === currentLanguage()) return;
  await chooseLanguage(language);
  restartSocket();
  askAgain();
}

export function LanguageMenu() {
  const { t, i18n } = useTranslation();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Tooltip label={t("frame.language")}>
          <ActionIcon size={32} aria-label={t("frame.language")}>
            <IconLanguage size={18} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {order.map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            rightSection={i18n.language === language ? <IconCheck size={16} aria-hidden /> : null}
            onClick={() => void switchLanguage(language)}
          >
            {names[language]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const schemes = [
  { value: "light", label: "frame.light", icon: IconSun },
  { value: "dark", label: "frame.dark", icon: IconMoon },
  { value: "auto", label: "frame.auto", icon: IconDeviceDesktop },
] as const satisfies readonly { value: MantineColorScheme; label: string; icon: Icon }[];

export function SchemeMenu() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Current = schemes.find((scheme) => scheme.value === colorScheme)?.icon ?? IconDeviceDesktop;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Tooltip label={t("frame.scheme")}>
          <ActionIcon size={32} aria-label={t("frame.scheme")}>
            <Current size={18} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map((scheme) => (
          <Menu.Item
            key={scheme.value}
            leftSection={<scheme.icon size={16} stroke={1.6} aria-hidden />}
            rightSection={colorScheme === scheme.value ? <IconCheck size={16} aria-hidden /> : null}
            onClick={() => setColorScheme(scheme.value)}
          >
            {t(scheme.label)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
