//! What the view knows, and what keys do to it.

use super::detail::Detail;
use super::query;
use crate::journal::{Filter, Index, Searches, ShownSession, Tail, Verdict};
use hookrail_store::Store;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::sync::Arc;

/// What comes after a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Go,
    End,
}

/// Where keys go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    Lanes,
    Events,
    Filter,
}

/// The filters that `d` goes through.
const DECISIONS: [&[Verdict]; 5] =
    [&[], &[Verdict::Deny, Verdict::Stop], &[Verdict::Ask], &[Verdict::Warned], &[Verdict::Failed]];

pub struct App {
    pub tail: Tail,
    store: Arc<dyn Store>,
    pub clock: fn() -> i64,
    searches: Searches,
    pub filter: Filter,
    /// The filter as it was typed.
    pub typed: String,
    pub focus: Focus,
    pub sessions: Vec<ShownSession>,
    pub lane: usize,
    /// The session whose story is shown; all if there is none.
    pub story: Option<String>,
    /// Places in the index of the events that match, the oldest first.
    pub found: Vec<u32>,
    /// The selected event, counted from the newest.
    pub selected: usize,
    /// The first event that is shown, counted from the newest.
    pub top: usize,
    /// How many events fit.
    pub page: usize,
    pub detail: Option<Detail>,
    pub help: bool,
    pub trouble: Option<String>,
    version: Option<u64>,
}

impl App {
    pub fn new(tail: Tail, store: Arc<dyn Store>, filter: Filter, clock: fn() -> i64) -> Self {
        let decisions = filter.decisions.iter().map(|verdict| verdict.as_str()).collect::<Vec<_>>().join(",");
        let decisions = if decisions.is_empty() { String::new() } else { format!("decision:{decisions} ") };
        let typed = format!("{decisions}{}", filter.text.as_deref().unwrap_or_default()).trim().to_owned();
        Self {
            tail,
            store,
            clock,
            searches: Searches::default(),
            filter,
            typed,
            focus: Focus::Events,
            sessions: Vec::new(),
            lane: 0,
            story: None,
            found: Vec::new(),
            selected: 0,
            top: 0,
            page: 1,
            detail: None,
            help: false,
            trouble: None,
            version: None,
        }
    }

    /// Takes in what the journal has got since.
    pub fn refresh(&mut self) {
        let reading = self.tail.reading();
        if self.version == Some(reading.version) {
            return;
        }
        self.version = Some(reading.version);
        self.trouble = reading.trouble;
        let tail = self.tail.clone();
        let index = tail.index();
        let before = self.found.len();
        self.found = self.searches.find(&self.filter, &index).to_vec();
        // Whoever looks at an older event goes on looking at it.
        if self.selected > 0 || self.detail.is_some() {
            let new = self.found.len().saturating_sub(before);
            self.selected += new;
            self.top += new;
        }
        self.sessions = crate::journal::newest_sessions(&index, &Filter::default());
        self.lane = self.lane.min(self.sessions.len().saturating_sub(1));
        self.keep_in_view();
    }

    /// The place in the index of an event, counted from the newest.
    pub fn place(&self, from_newest: usize) -> Option<u32> {
        self.found.get(self.found.len().checked_sub(from_newest + 1)?).copied()
    }

    pub fn press(&mut self, key: KeyEvent) -> Next {
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return Next::End;
        }
        if self.focus == Focus::Filter {
            self.type_filter(key.code);
            return Next::Go;
        }
        match key.code {
            KeyCode::Char('q') => return Next::End,
            KeyCode::Char('?') => self.help = !self.help,
            KeyCode::Esc | KeyCode::Backspace => self.go_back(),
            _ if self.help => self.help = false,
            KeyCode::Char('/') => self.focus = Focus::Filter,
            KeyCode::Char('d') => self.next_decision(),
            KeyCode::Tab | KeyCode::BackTab => self.change_focus(),
            KeyCode::Enter | KeyCode::Right | KeyCode::Char('l') => self.open(),
            KeyCode::Left | KeyCode::Char('h') => self.go_back(),
            KeyCode::Up | KeyCode::Char('k') => self.walk(-1),
            KeyCode::Down | KeyCode::Char('j') => self.walk(1),
            KeyCode::PageUp => self.walk(-(isize::try_from(self.page).unwrap_or(1))),
            KeyCode::PageDown | KeyCode::Char(' ') => self.walk(isize::try_from(self.page).unwrap_or(1)),
            KeyCode::Home | KeyCode::Char('g') => self.walk(isize::MIN / 2),
            KeyCode::End | KeyCode::Char('G') => self.walk(isize::MAX / 2),
            _ => {}
        }
        Next::Go
    }

    fn type_filter(&mut self, key: KeyCode) {
        match key {
            KeyCode::Char(letter) => self.typed.push(letter),
            KeyCode::Backspace => {
                self.typed.pop();
            }
            KeyCode::Esc => {
                self.typed.clear();
                self.focus = Focus::Events;
            }
            KeyCode::Enter | KeyCode::Tab | KeyCode::Down => self.focus = Focus::Events,
            _ => return,
        }
        self.apply_filter();
    }

    /// Reads the filter again and looks for the events that match now.
    fn apply_filter(&mut self) {
        let tail = self.tail.clone();
        let facets = tail.index().facets();
        let known = |key: &str, value: &str| {
            let names: Vec<&String> = match key {
                "project" => facets.projects.keys().collect(),
                "agent" => facets.agents.keys().collect(),
                _ => facets.hooks.keys().collect(),
            };
            let exact = names.iter().find(|name| name.as_str() == value);
            let ending = || names.iter().find(|name| name.ends_with(&format!("/{value}")));
            let part = || names.iter().find(|name| name.contains(value));
            exact.or_else(ending).or_else(part).map(|name| (*name).clone())
        };
        self.filter = query::parse(&self.typed, self.story.as_deref(), &known);
        (self.selected, self.top, self.version) = (0, 0, None);
        self.found.clear();
        self.refresh();
    }

    fn next_decision(&mut self) {
        let now = DECISIONS.iter().position(|decisions| *decisions == self.filter.decisions);
        let next = DECISIONS.iter().cycle().nth(now.unwrap_or_default() + 1).copied().unwrap_or_default();
        let words: Vec<&str> = self.typed.split_whitespace().filter(|word| !word.starts_with("decision:")).collect();
        let names = next.iter().map(|verdict| verdict.as_str()).collect::<Vec<_>>().join(",");
        let decision = if names.is_empty() { String::new() } else { format!("decision:{names} ") };
        self.typed = format!("{decision}{}", words.join(" ")).trim().to_owned();
        self.apply_filter();
    }

    fn change_focus(&mut self) {
        self.focus = if self.focus == Focus::Lanes { Focus::Events } else { Focus::Lanes };
    }

    fn open(&mut self) {
        if self.detail.is_some() {
            return;
        }
        match self.focus {
            Focus::Lanes => {
                self.story = self.sessions.get(self.lane).map(|session| session.id.clone());
                self.focus = Focus::Events;
                self.apply_filter();
            }
            Focus::Events => {
                let place = self.place(self.selected);
                let tail = self.tail.clone();
                let index: &Index = &tail.index();
                let row = place.and_then(|place| index.rows().get(place as usize));
                self.detail = row.map(|row| Detail::read(row, index, &*self.store));
            }
            Focus::Filter => {}
        }
    }

    /// Closes what is open, the innermost first.
    fn go_back(&mut self) {
        if self.help {
            self.help = false;
        } else if self.detail.take().is_some() {
        } else if !self.typed.is_empty() {
            self.typed.clear();
            self.apply_filter();
        } else if self.story.take().is_some() {
            self.apply_filter();
        }
    }

    fn walk(&mut self, steps: isize) {
        let step = |at: usize, last: usize| at.saturating_add_signed(steps).min(last);
        if let Some(detail) = &mut self.detail {
            detail.scroll = step(detail.scroll, detail.lines.saturating_sub(1));
            return;
        }
        match self.focus {
            Focus::Lanes => self.lane = step(self.lane, self.sessions.len().saturating_sub(1)),
            Focus::Events | Focus::Filter => self.selected = step(self.selected, self.found.len().saturating_sub(1)),
        }
        self.keep_in_view();
    }

    fn keep_in_view(&mut self) {
        self.selected = self.selected.min(self.found.len().saturating_sub(1));
        let lowest = (self.selected + 1).saturating_sub(self.page.max(1));
        self.top = self.top.clamp(lowest, self.selected.max(lowest));
    }

    /// The list of events has room for so many.
    pub fn set_page(&mut self, page: usize) {
        self.page = page.max(1);
        self.keep_in_view();
    }
}
