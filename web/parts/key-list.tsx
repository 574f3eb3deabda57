/** The keys of the page. */
export const KeyList = () => (
  <p class="quiet keys">
    Keys: <kbd>Ctrl</kbd>+<kbd>K</kbd> finds anything, <kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens,{" "}
    <kbd>a</kbd> opens the review, <kbd>s</kbd> writes to a session, <kbd>t</kbd> shows its next view, <kbd>r</kbd>{" "}
    starts a run, <kbd>p</kbd> opens the profiles, <kbd>/</kbd> filters the list, <kbd>g</kbd> goes to the sessions,{" "}
    <kbd>?</kbd> shows the keys. In the review, <kbd>y</kbd> <kbd>n</kbd> <kbd>e</kbd> <kbd>v</kbd> approve, reject,
    edit and fold a call. No letter decides anything: <kbd>Ctrl</kbd>+<kbd>Enter</kbd> does.
  </p>
)
