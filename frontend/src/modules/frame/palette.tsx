export default function Palette(_props: { opened: boolean; close: () => void }) {
  return null;
}
