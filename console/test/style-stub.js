// Styles and pictures mean nothing in jsdom.
export default {};
