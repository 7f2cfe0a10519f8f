// boardgame.io's own server with its default storage, which is in memory: `node server.js PORT`.
// koa-compose is pinned to 4.1.0: with 4.2.0 the server of 0.50.2 answers 404 to every request for a match.
const { Server } = require('boardgame.io/server');
const { LasVegas } = require('./las_vegas');

const port = Number(process.argv[2]);
Server({ games: [LasVegas], origins: [] })
  .run(port)
  .then(() => console.log('ready'));
