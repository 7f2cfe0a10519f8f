export default {
  "app.title": "Croupier",
};
