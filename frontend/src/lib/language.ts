import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import en from "~/locales/en.json";
import zhCN from "~/locales/zh-CN.json";

export const languages = ["en", "zh-CN"] as const;
export type Language = (typeof languages)[number];

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

/** Starts i18next; both languages are in the bundle, so it is ready at once. */
export function startLanguage(): void {
  void i18next.use(initReactI18next).init({
    resources: { en: { translation: en }, "zh-CN": { translation: zhCN } },
    lng: preferred(),
    fallbackLng: "en",
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  document.documentElement.lang = currentLanguage();
}

export function currentLanguage(): Language {
  return i18next.language === "zh-CN" ? "zh-CN" : "en";
}

/** Changes the language, remembers it, and tells assistive technology. */
export async function chooseLanguage(language: Language): Promise<void> {
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  try {
    localStorage.setItem(storageKey, language);
  } catch {
    // Not remembered; the choice holds until the page closes.
  }
}
