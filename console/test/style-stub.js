// Styles and pictures mean nothing in jsdom.
module.exports = {};
