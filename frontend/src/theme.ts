import {
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from "@mantine/core";

// Colour is kept for states: the accent is ink, dark on light and light on dark.
const ink: MantineColorsTuple = [
  "#f5f6f6",
  "#e9ebeb",
  "#d3d7d8",
  "#b3b9bb",
  "#8d9598",
  "#6b7477",
  "#4f575a",
  "#363d40",
  "#1e2426",
  "#121617",
];

const gray: MantineColorsTuple = [
  "#f8f9f9",
  "#f1f3f3",
  "#e6e9e9",
  "#d6dada",
  "#c0c6c6",
  "#949c9d",
  "#687173",
  "#4b5355",
  "#313739",
  "#1b1f20",
];

const dark: MantineColorsTuple = [
  "#d5d9da",
  "#b4babb",
  "#98a0a2",
  "#6a7274",
  "#3c4345",
  "#2b3133",
  "#1e2325",
  "#15191a",
  "#101314",
  "#0b0d0e",
];

const sans =
  'system-ui, -apple-system, "Segoe UI", Roboto, "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans", sans-serif';
const mono =
  'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace';

/** Filled ink turns light on dark: the text on it must turn too, which autoContrast does not see. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const resolved = defaultVariantColorsResolver(input);
  if (input.variant !== "filled" || (input.color ?? "ink") !== "ink") return resolved;
  return { ...resolved, background: "var(--ink)", hover: "var(--ink-hover)", color: "var(--ink-text)" };
};

export const theme = createTheme({
  variantColorResolver,
  primaryColor: "ink",
  primaryShade: { light: 8, dark: 1 },
  autoContrast: true,
  colors: { ink, gray, dark },
  black: "#171b1c",
  fontFamily: sans,
  fontFamilyMonospace: mono,
  fontSizes: { xs: "13px", sm: "13px", md: "14px", lg: "16px", xl: "20px" },
  lineHeights: { xs: "20px", sm: "20px", md: "20px", lg: "24px", xl: "28px" },
  spacing: { xs: "8px", sm: "12px", md: "16px", lg: "24px", xl: "32px" },
  radius: { xs: "4px", sm: "6px", md: "6px", lg: "8px", xl: "12px" },
  defaultRadius: "sm",
  headings: {
    fontFamily: sans,
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "20px", lineHeight: "28px" },
      h2: { fontSize: "16px", lineHeight: "24px" },
      h3: { fontSize: "14px", lineHeight: "20px" },
    },
  },
  focusRing: "auto",
  respectReducedMotion: true,
  cursorType: "pointer",
  // Plain objects: `Button.extend` and its like would bring every component into the entry.
  components: {
    Button: { defaultProps: { size: "sm" }, styles: { root: { fontWeight: 500 } } },
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray" } },
    SegmentedControl: { defaultProps: { size: "sm", transitionDuration: 100 } },
    Tooltip: {
      defaultProps: {
        openDelay: 250,
        transitionProps: { duration: 80 },
        events: { hover: true, focus: true, touch: true },
      },
    },
    Menu: { defaultProps: { shadow: "md", transitionProps: { duration: 80 } } },
    Modal: { defaultProps: { transitionProps: { duration: 120 }, centered: true } },
  },
});
