import i18next from "i18next";
import { initReactI18next } from "react-i18next";

export const languages = ["en", "zh-CN"] as const;
export type Language = (typeof languages)[number];

const words = {
  en: async () => (await import("~/locales/en.json")).default,
  "zh-CN": async () => (await import("~/locales/zh-CN.json")).default,
} satisfies Record<Language, () => Promise<object>>;

const storageKey = "goblinlab-language";

function preferred(): Language {
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(storageKey);
  } catch {
    // Storage is switched off: the browser's language decides.
  }
  const wanted = stored ?? navigator.language;
  return wanted.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}

/** Starts i18next with the words of the preferred language; the other's come when it is chosen. */
export async function startLanguage(): Promise<void> {
  const language = preferred();
  await i18next.use(initReactI18next).init({
    resources: { [language]: { translation: await words[language]() } },
    lng: language,
    fallbackLng: false,
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  document.documentElement.lang = language;
}

export function currentLanguage(): Language {
  return i18next.language === "zh-CN" ? "zh-CN" : "en";
}

/** Changes the language, remembers it, and tells assistive technology. */
export async function chooseLanguage(language: Language): Promise<void> {
  i18next.addResourceBundle(language, "translation", await words[language]());
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  try {
    localStorage.setItem(storageKey, language);
  } catch {
    // Not remembered; the choice holds until the page closes.
  }
}
