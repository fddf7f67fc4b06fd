import classes from "./initials.module.css";

/** `Mei Lin` makes `ML`, `王晓明` makes `晓明`: as people are called. */
export function initialsOf(name: string): string {
  const trimmed = name.trim();
  if (/^[\u3400-\u9FFF]+$/.test(trimmed)) return trimmed.slice(-2);
  const words = trimmed.split(/\s+/);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]?.slice(0, 2)];
  return words.length > 1
    ? letters
        .map((word) => word?.charAt(0) ?? "")
        .join("")
        .toUpperCase()
    : (letters[0] ?? "").toUpperCase();
}

/** A person's initials in a circle: a picture, not a text, so the name stands beside it or in the label. */
export function Initials({ name, size = 32 }: { name: string; size?: number }) {
  return (
    <span
      className={classes.circle}
      style={{ width: size, height: size }}
      data-initials={initialsOf(name)}
      aria-hidden
    />
  );
}
