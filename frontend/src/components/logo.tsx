/** The mark of GoblinLab. Its green is the one colour that is no state. */
export function Logo({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
      <path
        fill="#4d7c3a"
        d="M1 9c4 0 7 1 9 3 2-2 4-3 6-3s4 1 6 3c2-2 5-3 9-3-1 5-4 8-7 9-1 6-4 9-8 9s-7-3-8-9c-3-1-6-4-7-9Z"
      />
      <circle cx="12.5" cy="16.5" r="2" fill="#fff" />
      <circle cx="19.5" cy="16.5" r="2" fill="#fff" />
      <path d="M12.5 22c2 1.6 5 1.6 7 0" fill="none" stroke="#fff" strokeWidth="1.6" strokeLinecap="round" />
    </svg>
  );
}
