import type { ReactNode } from "react";

function Picture({ children }: { children: ReactNode }) {
  return (
    <svg
      width="120"
      height="80"
      viewBox="0 0 120 80"
      fill="none"
      stroke="var(--text-soft)"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      <path d="M8 72h104" stroke="var(--line-strong)" />
      {children}
    </svg>
  );
}

/** The goblin's head, as in the logo, at its desk. */
function Goblin({ x, y }: { x: number; y: number }) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <path
        d="M0 6c4 0 7 1 9 3 2-2 4-3 6-3s4 1 6 3c2-2 5-3 9-3-1 5-4 8-7 9-1 6-4 9-8 9s-7-3-8-9C4 14 1 11 0 6Z"
        fill="var(--sunken)"
      />
      <path d="M12 14v1M18 14v1M12.5 19c1.5 1 3.5 1 5 0" />
    </g>
  );
}

export function SecretPicture() {
  return (
    <Picture>
      <Goblin x={45} y={8} />
      <rect x="40" y="44" width="40" height="28" rx="3" fill="var(--surface)" />
      <path d="M48 44v-5a12 12 0 0 1 24 0v5M60 54v8" />
      <circle cx="60" cy="54" r="2" />
    </Picture>
  );
}

export function InstancePicture() {
  return (
    <Picture>
      <Goblin x={45} y={8} />
      <rect x="34" y="34" width="52" height="32" rx="3" fill="var(--surface)" />
      <path d="M28 72l4-6h56l4 6M44 44l5 4-5 4M54 53h10" />
    </Picture>
  );
}

export function RunPicture() {
  return (
    <Picture>
      <rect x="22" y="14" width="46" height="58" rx="3" fill="var(--surface)" />
      <path d="M30 26h22M30 36h30M30 46h16M30 56h24" stroke="var(--line-strong)" />
      <Goblin x={66} y={40} />
      <path d="M62 30l14-8-14-8z" fill="var(--sunken)" />
    </Picture>
  );
}

export function VolumePicture() {
  return (
    <Picture>
      <path d="M30 30v34c0 4 10 8 22 8s22-4 22-8V30" fill="var(--surface)" />
      <ellipse cx="52" cy="30" rx="22" ry="7" fill="var(--sunken)" />
      <path d="M30 47c0 4 10 7 22 7s22-3 22-7" />
      <Goblin x={66} y={46} />
    </Picture>
  );
}

export function ImagePicture() {
  return (
    <Picture>
      <path d="M60 12l26 12v28L60 66 34 52V24z" fill="var(--surface)" />
      <path d="M34 24l26 14 26-14M60 38v28" />
      <Goblin x={76} y={48} />
    </Picture>
  );
}

export function TeamPicture() {
  return (
    <Picture>
      <Goblin x={45} y={20} />
      <Goblin x={14} y={34} />
      <Goblin x={76} y={34} />
      <path d="M20 72v-6h18v6M51 72V52h18v20M82 72v-6h18v6" />
    </Picture>
  );
}

export function FlowPicture() {
  return (
    <Picture>
      <rect x="14" y="20" width="24" height="16" rx="3" fill="var(--surface)" />
      <rect x="58" y="10" width="24" height="16" rx="3" fill="var(--surface)" />
      <rect x="58" y="38" width="24" height="16" rx="3" fill="var(--surface)" />
      <path d="M38 28h8c6 0 6-10 12-10M46 28c6 0 6 18 12 18M26 36v36" stroke="var(--line-strong)" />
      <Goblin x={80} y={44} />
    </Picture>
  );
}
