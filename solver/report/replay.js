"use strict";
// Steps through the moves that the page lists. The board starts as the page shows it; the rules are not known here.
{
  const PLAY_EVERY = 800;  // milliseconds a move
  const SLIDE = 180;  // milliseconds that a card is on its way
  const ADDRESS_AFTER = 300;  // milliseconds of rest before the address follows; browsers limit how often it may

  const element = (id) => document.getElementById(id);
  const named = (selector, name) =>
    Object.fromEntries([...document.querySelectorAll(selector)].map((item) => [item.dataset[name], item]));
  const places = named("[data-place]", "place");
  const cards = named("[data-place] [data-card]", "card");
  const links = [...document.querySelectorAll("#moves a")];
  const last = links.length;

  // Which cards lie at each place, after each number of moves; and which ones the last of these moves took along.
  const boards = [{}];
  const taken = [[]];
  for (const [place, list] of Object.entries(places)) {
    boards[0][place] = [...list.children].map((card) => card.dataset.card);
  }
  for (const { dataset: { card, from, to } } of links) {
    const board = boards.at(-1);
    const start = board[from].indexOf(card);
    const run = board[from].slice(start);
    boards.push({ ...board, [from]: board[from].slice(0, start), [to]: [...board[to], ...run] });
    taken.push(run);
  }

  let shown = 0;
  let playing = null;
  let addressing = null;

  const layOut = (number) => {
    for (const [place, list] of Object.entries(places)) {
      if (boards[number][place] !== boards[shown][place]) {
        list.replaceChildren(...boards[number][place].map((card) => cards[card]));
      }
    }
    for (const card of taken[shown]) cards[card].classList.remove("moved");
    for (const card of taken[number]) cards[card].classList.add("moved");
    shown = number;
  };

  const slide = (number) => {
    const movers = taken[Math.max(number, shown)].map((card) => cards[card]);
    const before = movers.map((card) => card.getBoundingClientRect());
    layOut(number);
    movers.forEach((card, index) => {
      const after = card.getBoundingClientRect();
      const away = `translate(${before[index].x - after.x}px, ${before[index].y - after.y}px)`;
      card.classList.add("moving");
      const motion = card.animate([{ transform: away }, { transform: "none" }], { duration: SLIDE, easing: "ease-out" });
      motion.onfinish = motion.oncancel = () => card.classList.remove("moving");
    });
  };

  const show = (wanted) => {
    const number = Math.min(Math.max(wanted, 0), last);
    if (number === shown) return;
    links[shown - 1]?.removeAttribute("aria-current");
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (Math.abs(number - shown) === 1 && !still) slide(number);
    else layOut(number);
    tell();
    clearTimeout(addressing);
    addressing = setTimeout(() => history.replaceState(null, "", `#move=${shown}`), ADDRESS_AFTER);
  };

  const tell = () => {
    const link = links[shown - 1];
    element("said").textContent = link ? `Move ${shown} of ${last}: ${link.dataset.words}.` : "The start.";
    if (shown === last) element("said").textContent += " Won.";
    element("slider").value = shown;
    element("slider").setAttribute("aria-valuetext", `${shown} of ${last}`);
    for (const id of ["first", "back"]) element(id).setAttribute("aria-disabled", shown === 0);
    for (const id of ["next", "last"]) element(id).setAttribute("aria-disabled", shown === last);
    if (!link) return;
    link.setAttribute("aria-current", "step");
    const list = element("moves");  // scrolled by hand: scrollIntoView would move the page as well
    const top = link.offsetTop;
    if (top < list.scrollTop || top + link.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = top - list.clientHeight / 2;
    }
  };

  const pause = () => {
    clearInterval(playing);
    playing = null;
    element("play").textContent = "Play";
  };

  const play = () => {
    if (shown === last) show(0);
    element("play").textContent = "Pause";
    playing = setInterval(() => {
      show(shown + 1);
      if (shown === last) pause();
    }, PLAY_EVERY);
  };

  const goTo = (number) => {
    pause();
    show(number);
  };

  const actions = {
    first: () => goTo(0),
    back: () => goTo(shown - 1),
    play: () => (playing === null ? play() : pause()),
    next: () => goTo(shown + 1),
    last: () => goTo(last),
  };
  const keys = { Home: "first", ArrowLeft: "back", " ": "play", ArrowRight: "next", End: "last" };

  for (const [id, action] of Object.entries(actions)) element(id).addEventListener("click", action);
  links.forEach((link, index) => link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;  // opens elsewhere
    event.preventDefault();
    goTo(index + 1);
  }));
  element("slider").addEventListener("input", (event) => goTo(Number(event.target.value)));
  document.addEventListener("keydown", (event) => {
    const action = actions[keys[event.key]];
    const isPress = event.key === " " && event.target instanceof HTMLButtonElement;
    if (!action || isPress || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    if (!(event.key === " " && event.repeat)) action();
  });

  const follow = (address) => {
    const found = /#move=(\d+)$/.exec(address);
    if (found) goTo(Number(found[1]));
  };
  addEventListener("hashchange", (event) => follow(event.newURL));  // location may have been written again meanwhile

  // Paper shows the start.
  let before = 0;
  addEventListener("beforeprint", () => {
    before = shown;
    goTo(0);
  });
  addEventListener("afterprint", () => goTo(before));

  document.querySelector(".controls").hidden = false;
  tell();
  follow(location.href);
}
