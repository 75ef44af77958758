import { render } from 'preact';
import { App } from './app.tsx';
import './style/ground.css';
import './style/frame.css';
import './style/controls.css';
import './style/tables.css';
import './style/figures.css';
import './style/progress.css';
import './style/parts.css';

render(<App />, document.body);
