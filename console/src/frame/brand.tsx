/** The product's mark and name. The mark is decoration: the name is read. */
export function Brand() {
  return (
    <span className="sp-brand" translate="no">
      <img src="/favicon.svg" width={28} height={28} alt="" />
      <span>SeqPanel</span>
    </span>
  );
}
