/** The product's mark and name. Screen readers read only the name. The mark is inline, so it needs no request. */
export function Brand() {
  return (
    <span className="sp-brand" translate="no">
      <svg viewBox="0 0 32 32" width={28} height={28} aria-hidden>
        <rect width="32" height="32" rx="6" fill="#0072b2" />
        <g fill="none" stroke="#fff" strokeWidth="2.4" strokeLinecap="round">
          <path d="M9 5c0 7 14 7 14 11S9 20 9 27" />
          <path d="M23 5c0 7-14 7-14 11s14 4 14 11" />
          <path d="M11.500 9.500h9M11.500 22.500h9" />
        </g>
      </svg>
      <span>SeqPanel</span>
    </span>
  );
}
