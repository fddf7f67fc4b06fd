const letters = "BCDFGHJKLMNPQRSTVWXZ";

/** A code as programs show it, whatever was typed between its letters: ABCD-EFGH. */
export function tidyCode(text: string): string {
  const plain = [...text.toUpperCase()].filter((each) => letters.includes(each)).slice(0, 8);
  return plain.length > 4 ? `${plain.slice(0, 4).join("")}-${plain.slice(4).join("")}` : plain.join("");
}

export function isWhole(code: string): boolean {
  return code.length === 9;
}
